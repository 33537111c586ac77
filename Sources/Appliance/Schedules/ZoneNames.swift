/// Zones that people know by name, with their rules of 2026 (tzdata). Any other is given as a rule.
enum ZoneNames {
  private static let europe = ",M3.5.0,M10.5.0/3"
  private static let america = ",M3.2.0,M11.1.0"

  static let rules: [String: String] = [
    "UTC": "UTC0", "Atlantic/Reykjavik": "GMT0", "Africa/Abidjan": "GMT0",
    "Europe/London": "GMT0BST,M3.5.0/1,M10.5.0", "Europe/Dublin": "GMT0IST,M3.5.0/1,M10.5.0",
    "Europe/Lisbon": "WET0WEST,M3.5.0/1,M10.5.0",
    "Europe/Berlin": "CET-1CEST" + europe, "Europe/Paris": "CET-1CEST" + europe, "Europe/Madrid": "CET-1CEST" + europe,
    "Europe/Rome": "CET-1CEST" + europe, "Europe/Vienna": "CET-1CEST" + europe, "Europe/Zurich": "CET-1CEST" + europe,
    "Europe/Amsterdam": "CET-1CEST" + europe, "Europe/Brussels": "CET-1CEST" + europe,
    "Europe/Prague": "CET-1CEST" + europe, "Europe/Warsaw": "CET-1CEST" + europe, "Europe/Oslo": "CET-1CEST" + europe,
    "Europe/Stockholm": "CET-1CEST" + europe, "Europe/Copenhagen": "CET-1CEST" + europe,
    "Europe/Helsinki": "EET-2EEST,M3.5.0/3,M10.5.0/4", "Europe/Athens": "EET-2EEST,M3.5.0/3,M10.5.0/4",
    "Europe/Kyiv": "EET-2EEST,M3.5.0/3,M10.5.0/4", "Europe/Bucharest": "EET-2EEST,M3.5.0/3,M10.5.0/4",
    "Europe/Istanbul": "<+03>-3", "Europe/Moscow": "MSK-3", "Asia/Yekaterinburg": "<+05>-5",
    "Asia/Novosibirsk": "<+07>-7", "Asia/Vladivostok": "<+10>-10", "Africa/Lagos": "WAT-1", "Africa/Nairobi": "EAT-3",
    "Africa/Johannesburg": "SAST-2", "Africa/Cairo": "EET-2EEST,M4.5.5/0,M10.5.4/24", "Asia/Dubai": "<+04>-4",
    "Asia/Karachi": "PKT-5", "Asia/Kolkata": "IST-5:30", "Asia/Kathmandu": "<+0545>-5:45", "Asia/Dhaka": "<+06>-6",
    "Asia/Bangkok": "<+07>-7", "Asia/Jakarta": "WIB-7", "Asia/Shanghai": "CST-8", "Asia/Singapore": "<+08>-8",
    "Asia/Manila": "PST-8", "Asia/Tokyo": "JST-9", "Asia/Seoul": "KST-9", "Australia/Perth": "AWST-8",
    "Australia/Brisbane": "AEST-10", "Australia/Adelaide": "ACST-9:30ACDT,M10.1.0,M4.1.0/3",
    "Australia/Sydney": "AEST-10AEDT,M10.1.0,M4.1.0/3", "Pacific/Auckland": "NZST-12NZDT,M9.5.0,M4.1.0/3",
    "America/St_Johns": "NST3:30NDT" + america, "America/Halifax": "AST4ADT" + america,
    "America/New_York": "EST5EDT" + america, "America/Toronto": "EST5EDT" + america,
    "America/Chicago": "CST6CDT" + america, "America/Denver": "MST7MDT" + america, "America/Phoenix": "MST7",
    "America/Los_Angeles": "PST8PDT" + america, "America/Anchorage": "AKST9AKDT" + america,
    "Pacific/Honolulu": "HST10", "America/Mexico_City": "CST6", "America/Bogota": "<-05>5", "America/Lima": "<-05>5",
    "America/Santiago": "<-04>4<-03>,M9.1.6/24,M4.1.6/24", "America/Sao_Paulo": "<-03>3",
    "America/Argentina/Buenos_Aires": "<-03>3",
  ]

  /// In the order of the options menu.
  static let all = rules.keys.sorted { ($0 == "UTC" ? "" : $0) < ($1 == "UTC" ? "" : $1) }
}
