// @postern/receiver/fetch, for runtimes that have `fetch` and WebCrypto and maybe nothing of Node: nothing here imports `node:`.
export { ChallengeError } from './errors.ts'
export type { ReceivedEvent } from './event.ts'
export type { LogEntry } from './handle-request.ts'
export type { ReceiverOptions } from './receiver-options.ts'
export { SIGNATURE_HEADERS } from './signatures.ts'
export { answerChallenge, findChallengeSecret } from './web/challenge.ts'
export { createReceiver, type Receiver } from './web/create-receiver.ts'
export { verifySignature } from './web/signature.ts'
