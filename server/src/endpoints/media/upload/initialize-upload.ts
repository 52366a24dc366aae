import { endpoint } from '../../../api/declare/endpoint.ts'
import { object, optionals, pick } from '../../../api/declare/words.ts'
import { beginUpload, categoryOf, mediaTypeOf } from './begin-upload.ts'
import { showUpload, uploadSchema } from './show-upload.ts'
import type { UploadServices } from './upload-services.ts'
import { readOwners, uploadEndpoint, uploadWords } from './upload-words.ts'

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
