// swift-tools-version: 5.9
import PackageDescription

let package = Package(
  name: "Sluice",
  platforms: [.iOS(.v15), .macOS(.v12)],
  products: [.library(name: "Sluice", targets: ["Sluice"])],
  targets: [
    .target(name: "Sluice"),
    .testTarget(name: "SluiceTests", dependencies: ["Sluice"]),
  ]
)
