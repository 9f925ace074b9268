// A program that ends when its jobs are done, although a server would run on.

import LaunchLoader

let app = AppHost()

try app.add("status page") { context in
  try await context.waitUntilShutdown()
}

let jobs = AppServiceGroup("jobs")
for name in ["thumbnails", "index"] {
  try jobs.add(name, options: AppServiceOptions(onReturn: .ignore)) { context in
    print("\(name): done")
  }
}
try app.add(jobs, options: AppServiceOptions(onReturn: .shutdown))

await app.runAndExit()
