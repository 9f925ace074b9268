// What a launch tells of itself.

import LaunchLoader

// snippet.hide
let loader = LaunchLoader()
loader.register("logging") { _ in }
loader.register("database", after: ["logging"]) { _ in await Task.yield() }
loader.register("search", after: ["nobody"]) { _ in }

// snippet.show
let report = try await loader.launch()
print(report)
for entry in report.slowest(3) { print(entry.id, entry.duration, entry.site) }
for entry in report.failures { print(entry.id, entry.outcome) }
for problem in report.problems { print(problem) }
print(report.criticalPath)

// snippet.hide
precondition(report.criticalPath == ["logging", "database"])
precondition(report.problems.count == 1)
