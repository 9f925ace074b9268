// The contents of a launch report.

import LaunchLoader
import LaunchPictures

let loader = LaunchLoader()
loader.register("logging") { options in print("open the log") }
loader.register("database", after: ["logging"]) { options in await Task.yield() }
loader.register("search", after: ["nobody"]) { options in print("not called") }

let report = try await loader.launch()
print(report)
for entry in report.entries { print(entry.id, entry.duration, entry.site) }
for entry in report.failures { print(entry.id, entry.outcome) }
for problem in report.problems { print(problem) }
print(report.criticalPath)
print(report.svg())  // the chart as a picture, for a file

// snippet.hide
precondition(report.criticalPath == ["logging", "database"])
precondition(report.problems.count == 1)
