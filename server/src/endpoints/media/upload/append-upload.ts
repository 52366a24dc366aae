import { endpoint } from '../../../api/declare/endpoint.ts'
import { integer, object, optional } from '../../../api/declare/words.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import { appendSegment } from './append-segment.ts'
import { mediaParts, withFile } from './received-file.ts'
import type { UploadServices } from './upload-services.ts'
import { BASE64_BODY_BYTES, uploadEndpoint, uploadWords } from './upload-words.ts'

export const appendUpload = endpoint({
  ...uploadEndpoint,
  name: 'appendUpload',
  route: 'POST /2/media/upload/:id/append',
  summary: 'Add a segment to an upload.',
  description:
    'The segment is the part `media` of a multipart body, or base64 in the member `media` of JSON. Segments may come in any order and at the same time; the same `segment_index` again replaces the segment.',
  rateLimit: 10_000,
  params: { id: uploadWords.media_id, segment_index: uploadWords.segment_index, media: optional(uploadWords.base64) },
  bodyLimitBytes: BASE64_BODY_BYTES,
  streamed: mediaParts('media'),
  answer: object({ data: object({ expires_at: integer({ min: 0, description: 'When the upload expires, in seconds since 1970.' }) }) }),
  problems: ['resource-not-found', 'too-many-requests'],
  async handle({ params: { id: uploadId, segment_index: index, media }, caller: { user }, received }, services: UploadServices) {
    const expiresAtMs = await withFile({ received, userId: user.id, base64: ['media', media] }, services, (file) =>
      appendSegment({ userId: user.id, uploadId, index }, file, services),
    )
    return { data: { expires_at: Math.floor(expiresAtMs / SECOND_MS) } }
  },
})
