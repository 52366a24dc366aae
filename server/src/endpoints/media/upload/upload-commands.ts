import { endpoint } from '../../../api/declare/endpoint.ts'
import { object, oneOf, optional, optionals, pick, type Static, text } from '../../../api/declare/words.ts'
import { beginUpload, categoryOf, mediaTypeOf } from './begin-upload.ts'
import { finalizeUpload, ownUpload } from './finalize-upload.ts'
import { mediaProblem, withMediaCode } from './media-problem.ts'
import { mediaParts, type ReceivedFile, withFile } from './received-file.ts'
import { appendSegment } from './segments.ts'
import { uploadAtOnce } from './upload-at-once.ts'
import type { UploadServices } from './upload-services.ts'
import { BASE64_BODY_BYTES, readOwners, showUploadV1, uploadEndpointV1, uploadV1Schema, uploadWords } from './upload-words.ts'

const params = {
  command: optional(
    oneOf(['INIT', 'APPEND', 'FINALIZE'], {
      description: 'The step of an upload in segments. Without it, the request brings the whole file.',
      example: 'INIT',
    }),
  ),
  ...optionals(
    pick(uploadWords, 'media_id', 'total_bytes', 'media_type', 'media_category', 'segment_index', 'additional_owners', 'shared'),
  ),
  media_data: optional(uploadWords.base64),
  /** Some clients send base64 in a form under this name. */
  media: optional(text({ min: 0, description: 'The same as `media_data`, where it is no part of a multipart body.' })),
}

type Sent = Static<ReturnType<typeof object<typeof params>>>

interface Call {
  sent: Sent
  userId: string
  received: ReceivedFile | undefined
}

/** A parameter that a command needs. */
function needed<Name extends keyof Sent>(sent: Sent, name: Name): NonNullable<Sent[Name]> {
  const value = sent[name]
  if (value === undefined || value === null) throw mediaProblem(`is required with command=${sent.command}`, name)
  return value
}

function bytesOf({ sent: { media, media_data }, userId, received }: Call) {
  if (media !== undefined && media_data !== undefined) throw mediaProblem('cannot be sent together with media_data', 'media')
  const base64: [string, string | undefined] = media === undefined ? ['media_data', media_data] : ['media', media]
  return { userId, received, base64 }
}

const declaredBy = ({ sent }: Call) => ({ category: categoryOf(sent.media_category), additionalOwners: readOwners(sent.additional_owners) })

const commands = {
  INIT: (call: Call, services: UploadServices) => {
    const mediaType = mediaTypeOf(needed(call.sent, 'media_type'))
    return beginUpload(call.userId, { ...declaredBy(call), mediaType, totalBytes: needed(call.sent, 'total_bytes') }, services)
  },
  APPEND: async (call: Call, services: UploadServices) => {
    const [uploadId, index] = [needed(call.sent, 'media_id'), needed(call.sent, 'segment_index')]
    await withFile(bytesOf(call), services, (file) => appendSegment({ userId: call.userId, uploadId, index }, file, services))
  },
  FINALIZE: (call: Call, services: UploadServices) => finalizeUpload(call.userId, needed(call.sent, 'media_id'), services),
}

const atOnce = (call: Call, services: UploadServices) =>
  withFile(bytesOf(call), services, (file) => {
    const mediaType = call.sent.media_type === undefined ? null : mediaTypeOf(call.sent.media_type)
    return uploadAtOnce(call.userId, { ...declaredBy(call), mediaType }, file, services)
  })

const streamed = mediaParts('media', 'media_data')

/** `POST /1.1/media/upload.json`: one file in one request, or the steps of an upload in segments. */
export const runUploadCommand = endpoint({
  ...uploadEndpointV1,
  name: 'runUploadCommand',
  route: 'POST /1.1/media/upload',
  summary: 'Upload media: in one request, or in segments by INIT, APPEND and FINALIZE.',
  description:
    'Segments may come in any order and at the same time; the same `segment_index` again replaces the segment. APPEND answers an empty object. An image is ready with the answer of FINALIZE; of a video or GIF, `processing_info` says when to ask for its state.',
  rateLimit: 10_000,
  params,
  bodyLimitBytes: BASE64_BODY_BYTES,
  streamed: { ...streamed, receive: (...call) => withMediaCode(() => streamed.receive(...call)) },
  answer: object(optionals(uploadV1Schema.properties)),
  problems: ['invalid-request', 'resource-not-found', 'conflict', 'usage-capped', 'too-many-requests'],
  example: { command: 'INIT', total_bytes: 100, media_type: 'image/png', media_id: undefined, segment_index: undefined },
  handle: ({ params: sent, caller: { user }, received }, services: UploadServices) =>
    withMediaCode(async () => {
      const call = { sent, userId: user.id, received }
      const upload = await (sent.command === undefined ? atOnce : commands[sent.command])(call, services)
      return upload ? showUploadV1(upload, services.now()) : {}
    }),
})

/** `GET /1.1/media/upload.json?command=STATUS`. */
export const getUploadV1 = endpoint({
  ...uploadEndpointV1,
  name: 'getUploadV1',
  route: 'GET /1.1/media/upload',
  summary: 'Get the state of an upload.',
  rateLimit: 10_000,
  params: { command: oneOf(['STATUS']), media_id: uploadWords.media_id },
  answer: uploadV1Schema,
  problems: ['resource-not-found'],
  async handle({ params: { media_id }, caller: { user } }, services: UploadServices) {
    return showUploadV1(await ownUpload(user.id, media_id, services), services.now())
  },
})
