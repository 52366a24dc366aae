import { endpoint } from '../../../api/declare/endpoint.ts'
import { object, optional, optionals, pick } from '../../../api/declare/words.ts'
import { categoryOf, mediaTypeOf } from './begin-upload.ts'
import { mediaParts, withFile } from './received-file.ts'
import { showUpload, uploadSchema } from './show-upload.ts'
import { uploadAtOnce } from './upload-at-once.ts'
import type { UploadServices } from './upload-services.ts'
import { BASE64_BODY_BYTES, readOwners, uploadEndpoint, uploadWords } from './upload-words.ts'

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
