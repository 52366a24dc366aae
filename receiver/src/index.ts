// @postern/receiver, for Node.
export { ChallengeError } from './errors.ts'
export type { ReceivedEvent } from './event.ts'
export type { LogEntry } from './handle-request.ts'
export { answerChallenge, findChallengeSecret } from './node/challenge.ts'
export { createReceiver, type Receiver } from './node/create-receiver.ts'
export { verifySignature } from './node/signature.ts'
export type { ReceiverOptions } from './receiver-options.ts'
export { SIGNATURE_HEADERS } from './signatures.ts'
