import { endpoint } from '../../../api/declare/endpoint.ts'
import { integer, object, oneOf, optional, optionals, pick } from '../../../api/declare/words.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import { beginUpload, categoryOf, mediaTypeOf } from './begin-upload.ts'
import { finalizeUpload, ownUpload } from './finalize-upload.ts'
import { mediaParts, withFile } from './received-file.ts'
import { appendSegment } from './segments.ts'
import { uploadAtOnce } from './upload-at-once.ts'
import type { UploadServices } from './upload-services.ts'
import { BASE64_BODY_BYTES, readOwners, showUpload, uploadEndpoint, uploadSchema, uploadWords } from './upload-words.ts'

export const uploadMedia = endpoint({
  ...uploadEndpoint,
  name: 'uploadMedia',
  route: 'POST /2/media/upload',
  summary: 'Upload media in one request.',
  description: 'The file is the part `media` of a multipart body, or base64 in the member `media` of JSON.',
  rateLimit: 10_000,
  params: {
    media: optional(uploadWords.base64),
    ...optionals(pick(uploadWords, 'media_category', 'media_type', 'additional_owners', 'shared')),
  },
  bodyLimitBytes: BASE64_BODY_BYTES,
  streamed: mediaParts('media'),
  answer: object({ data: uploadSchema }),
  problems: ['usage-capped', 'too-many-requests'],
  async handle({ params: sent, caller: { user }, received }, services: UploadServices) {
    const declared = {
      category: categoryOf(sent.media_category),
      mediaType: sent.media_type === undefined ? null : mediaTypeOf(sent.media_type),
      additionalOwners: readOwners(sent.additional_owners),
    }
    const upload = await withFile({ received, userId: user.id, base64: ['media', sent.media] }, services, (file) =>
      uploadAtOnce(user.id, declared, file, services),
    )
    return { data: showUpload(upload, services.now()) }
  },
})

export const initializeUpload = endpoint({
  ...uploadEndpoint,
  name: 'initializeUpload',
  route: 'POST /2/media/upload/initialize',
  summary: 'Begin an upload in segments.',
  rateLimit: 10_000,
  params: {
    ...pick(uploadWords, 'total_bytes', 'media_type'),
    ...optionals(pick(uploadWords, 'media_category', 'additional_owners', 'shared')),
  },
  answer: object({ data: uploadSchema }),
  problems: ['usage-capped'],
  async handle({ params: sent, caller: { user } }, services: UploadServices) {
    const declared = {
      totalBytes: sent.total_bytes,
      mediaType: mediaTypeOf(sent.media_type),
      category: categoryOf(sent.media_category),
      additionalOwners: readOwners(sent.additional_owners),
    }
    return { data: showUpload(await beginUpload(user.id, declared, services), services.now()) }
  },
})

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

export const completeUpload = endpoint({
  ...uploadEndpoint,
  name: 'completeUpload',
  route: 'POST /2/media/upload/:id/finalize',
  summary: 'End an upload: its segments become media.',
  description: 'An image is ready with the answer; of a video or GIF, `processing_info` says when to ask for its state.',
  rateLimit: 10_000,
  params: { id: uploadWords.media_id },
  answer: object({ data: uploadSchema }),
  problems: ['invalid-request', 'resource-not-found', 'conflict'],
  async handle({ params, caller: { user } }, services: UploadServices) {
    return { data: showUpload(await finalizeUpload(user.id, params.id, services), services.now()) }
  },
})

export const getUpload = endpoint({
  ...uploadEndpoint,
  name: 'getUpload',
  route: 'GET /2/media/upload',
  summary: 'Get the state of an upload.',
  rateLimit: 10_000,
  params: { command: optional(oneOf(['STATUS'])), media_id: uploadWords.media_id },
  answer: object({ data: uploadSchema }),
  problems: ['resource-not-found'],
  async handle({ params: { media_id }, caller: { user } }, services: UploadServices) {
    return { data: showUpload(await ownUpload(user.id, media_id, services), services.now()) }
  },
})
