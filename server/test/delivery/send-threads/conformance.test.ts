// The tests of the sender, on a sender with a thread.
import '../../stage/use-thread-sender.ts'
import '../send-requests.test.ts'
import '../send-failures.test.ts'
import '../tls-connections.test.ts'
