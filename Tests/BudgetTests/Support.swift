import Board

@testable import Budget

/// A board with the given budget and 512 MiB of memory.
func plan(rss: Int, cpu: Int, _ lines: [String: (Int, Int)]) throws -> BudgetPlan {
  var text = "ram_mb = 512\n[budget]\nrss_mb = \(rss)\ncpu_percent = \(cpu)\n"
  for (name, line) in lines { text += "[budget.\(name)]\nmemory_kb = \(line.0)\ncpu_percent = \(line.1)\n" }
  let bytes = Array(text.utf8)
  return BudgetPlan(try Boards.load(path: "test.toml") { (_) throws(BoardReadError) in bytes })
}

/// A process of some threads; times in seconds.
func usage(at seconds: Double, cpu: Double, rss: Int = 1000, peak: Int = 1000, _ threads: [(Int, String, Double)] = [])
  -> ProcessUsage
{
  ProcessUsage(
    at: Int64(seconds * 1e9), rssKB: rss, peakRSSKB: peak, cpuSeconds: cpu,
    threads: threads.map { ThreadUsage(id: $0.0, name: $0.1, cpuSeconds: $0.2) })
}
