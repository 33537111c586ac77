/// What is asked of whoever keeps the passwords: `auth.login`, whose answer comes from another thread.
enum AuthLogin: MethodDeclaration {
  static let row = MethodRow(
    "auth.login", "logs somebody in at this console", .viewer, isForAnybody: true,
    discussion: "It holds until auth.logout, until the console hangs up, or until nothing has come from it for "
      + "operators.timeoutMinutes. After three wrong passwords each further one has to wait, twice as long each time; "
      + "the error says until when.")

  struct Parameters: ParameterSet {
    let name: String
    let password: String

    init(name: String, password: String) { (self.name, self.password) = (name, password) }

    init(_ given: inout Given) throws(CommandFailure) {
      name = try given.value("name", .word(limit: 64), "of the operator")
      password = try given.value("password", .secret(limit: 128), "as it was given by operators.add")
    }
  }

  typealias Answer = AuthAnswer

  static func perform(_ parameters: Parameters, at place: CallPlace, reply: @escaping Reply) {
    do throws(CommandFailure) {
      let console = try place.face(row.method)
      guard let guardian = place.guardian, guardian.isOn else {
        throw CommandFailure(.notFound, "no operators are set up; \"operators add NAME technician\" sets up the first")
      }
      guardian.logIn(parameters.name, parameters.password, from: console.name) { [weak console] result in
        if case .success(let who) = result { console?.signIn(who) }
        reply(result.map { AuthAnswer(isNeeded: true, who: $0) })
      }
    } catch {
      reply(.failure(error))
    }
  }
}

enum AuthLogout: ConsoleMethod {
  static let row = MethodRow(
    "auth.logout", "logs out whoever has logged in at this console", .viewer, isForAnybody: true)

  static func answer(_ parameters: NoParameters, at place: CallPlace) throws(CommandFailure) -> Done {
    let console = try place.face(row.method)
    guard let who = console.signedIn else { throw CommandFailure(.notFound, "nobody has logged in at this console") }
    place.guardian?.noteLogOut(who, from: console.name, isIdle: false)
    return Done()
  }

  static func conclude(at place: CallPlace) { place.console?.signOut() }
}

enum AuthStatus: ConsoleMethod {
  static let row = MethodRow("auth.status", "tells who has logged in at this console", .viewer, isForAnybody: true)
  typealias Answer = AuthAnswer

  static func answer(_ parameters: NoParameters, at place: CallPlace) throws(CommandFailure) -> AuthAnswer {
    AuthAnswer(isNeeded: place.guardian?.isOn ?? false, who: try place.face(row.method).signedIn)
  }
}

struct AuthAnswer: WireObject {
  let isNeeded: Bool
  let who: SignedIn?

  static let fields: [Field<Self>] = [
    Field("needed", \.isNeeded, "whether operators are set up, so that one has to log in"),
    Field("name", ifAny: \.who?.name, "who has logged in"), Field("role", ifAny: \.who?.role, "what that is"),
  ]

  var text: String {
    if let who { return "\(who.name), \(who.role.rawValue)" }
    return isNeeded ? "nobody has logged in" : "no operators are set up: everybody may do everything"
  }
}

extension Role: WireValue {}

/// What people type for these.
enum AuthWords {
  private struct Name: ParameterSet {
    let name: String
    init(_ given: inout Given) throws(CommandFailure) {
      name = try given.value("name", .word(limit: 64), "of the operator")
    }
  }

  static func all<Context>() -> [Word<Context>] {
    [
      Word(
        "login", "logs you in at this console", discussion: "The password is asked for, and not shown.",
        isConfidential: true, methods: [AuthLogin.self]
      ) { (wanted: Name, call: WordCall<Context>) in
        call.askSecret("password: ") { password in
          AuthLogin.perform(AuthLogin.Parameters(name: wanted.name, password: password), at: call.place) {
            call.end(with: $0) { answer, _ in [answer.text] }
          }
        }
      },
      Word("logout", "logs you out at this console", calls: AuthLogout.self) { (_: Done, _) in ["logged out"] },
      Word("whoami", "tells who has logged in at this console", calls: AuthStatus.self) { answer, _ in [answer.text] },
    ]
  }
}
