import Foundation
import Hardware

/// Tells threads apart.
func currentThread() -> UInt { UInt(bitPattern: Int(pthread_self())) }
