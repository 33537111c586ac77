/// Icons of lines of text, seven rows high.
extension Icon {
  static let lock = Icon(
    """
    .###.
    #...#
    #...#
    #####
    ##.##
    ##.##
    #####
    """)

  static let star = Icon(
    """
    ...#...
    ...#...
    #######
    .#####.
    ..###..
    .#####.
    .#...#.
    """)

  static let record = Icon(
    """
    ..###..
    .#####.
    #######
    #######
    #######
    .#####.
    ..###..
    """)

  static let pause = Icon(
    """
    ##.##
    ##.##
    ##.##
    ##.##
    ##.##
    ##.##
    ##.##
    """)

  static let play = Icon(
    """
    ##....
    ####..
    #####.
    ######
    #####.
    ####..
    ##....
    """)

  static let forward = Icon(
    """
    #...#...
    ##..##..
    ###.###.
    ########
    ###.###.
    ##..##..
    #...#...
    """)

  static let rewind = Icon(
    """
    ...#...#
    ..##..##
    .###.###
    ########
    .###.###
    ..##..##
    ...#...#
    """)

  static let microphoneLost = Icon(
    """
    .##......
    .##.#...#
    .##..#.#.
    #..#..#..
    .##..#.#.
    .#..#...#
    ####.....
    """)

  static let speaker = Icon(
    """
    ...#..#
    ..##.#.
    ####..#
    ####.##
    ####..#
    ..##.#.
    ...#..#
    """)

  static let card = Icon(
    """
    .#####
    ##.#.#
    ##.#.#
    ######
    ######
    ######
    ######
    """)

  static let cardLow = Icon(
    """
    .#####
    ###.##
    ###.##
    ###.##
    ######
    ###.##
    ######
    """)

  static let camera = Icon(
    """
    ..........
    ######...#
    ######.###
    ##########
    ######.###
    ######...#
    ..........
    """)

  static let cameraLost = Icon(
    """
    ...........
    #####.#...#
    ####...#.#.
    #####...#..
    ####...#.#.
    #####.#...#
    ...........
    """)

  static let stream = Icon(
    """
    #.#...#.#
    #..#.#..#
    #..###..#
    #..#.#..#
    #.#.#.#.#
    ....#....
    ...###...
    """)

  static let linkLost = Icon(
    """
    #.#.#...#
    #..#.#.#.
    #..##.#..
    #..#.#.#.
    #.#.#...#
    ....#....
    ...###...
    """)

  static let mark = Icon(
    """
    #####
    #####
    ####.
    ###..
    #....
    #....
    #....
    """)

  static let save = Icon(
    """
    ...#...
    ...#...
    .#####.
    ..###..
    ...#...
    #.....#
    #######
    """)

  /// A thermometer: heat, or too weak a supply, slows the board down.
  static let throttled = Icon(
    """
    ..#..
    .#.#.
    .#.#.
    .###.
    #####
    #####
    .###.
    """)

  /// Lying, with as many of its four bars as it still holds quarters; empty, it is hollow.
  static func battery(_ percent: Int) -> Icon { batteries[max(0, min(4, (percent + 12) / 25))] }

  private static let batteries = (0...4).map { bars in
    let filled = String(repeating: "#", count: bars * 2) + String(repeating: ".", count: 8 - bars * 2)
    let edge = "##########."
    let body = "#\(filled)##"
    return Icon([edge, "#........#.", body, body, body, "#........#.", edge].joined(separator: "\n"))
  }
}
