#!/usr/bin/env bash
# the workflow for GitHub is valid YAML with the keys of its jobs, and runs the tests on Linux and macOS
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

python=.build/linters/bin/python
"$python" -c 'import yaml' 2> /dev/null || python=python3
"$python" -c 'import yaml' 2> /dev/null || fail "needs PyYAML (Debian: python3-yaml)"

# Prints the problem of the first key that GitHub does not know or does not find.
"$python" - .github/workflows/ci.yml << 'END' || fail "see .github/workflows/ci.yml"
import sys, yaml

workflow = yaml.safe_load(open(sys.argv[1]))
jobs = workflow["jobs"]
keys = {"name", "needs", "if", "runs-on", "timeout-minutes", "container", "permissions", "environment", "steps"}
of_steps = {"id", "name", "if", "uses", "with", "run", "env"}

def require(condition, problem):
    if not condition:
        sys.exit(problem)

# YAML 1.1, as PyYAML reads it, takes `on` for true.
require(set(workflow) <= {"name", True, "permissions", "concurrency", "jobs"}, f"unknown keys: {set(workflow)}")
for name, job in jobs.items():
    require(set(job) <= keys, f"{name}: unknown keys: {set(job) - keys}")
    require("runs-on" in job and job.get("steps"), f"{name} has no system or no steps")
    needs = job.get("needs", [])
    needs = [needs] if isinstance(needs, str) else needs
    require(set(needs) <= set(jobs), f"{name} needs a job that does not exist: {needs}")
    for step in job["steps"]:
        require(set(step) <= of_steps, f"{name}: unknown keys of a step: {set(step) - of_steps}")
        require(("uses" in step) != ("run" in step), f"{name}: a step either uses an action or runs a command")
        require("@" in step.get("uses", "@"), f"{name}: an action without a version: {step.get('uses')}")

def runs(command, where):
    return any(
        where(job) and any(step.get("run", "").startswith(command) for step in job["steps"]) for job in jobs.values()
    )

require(runs("swift test", lambda job: "swift:" in str(job.get("container"))), "no job tests in a container of Linux")
require(runs("swift test", lambda job: job["runs-on"].startswith("macos")), "no job tests on macOS")
require(runs("xcodebuild build", lambda job: "iOS Simulator" in str(job)), "no job builds for an iOS simulator")
END
