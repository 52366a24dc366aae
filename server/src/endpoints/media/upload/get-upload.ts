import { endpoint } from '../../../api/declare/endpoint.ts'
import { object, oneOf, optional } from '../../../api/declare/words.ts'
import { ownUpload } from './finalize-upload.ts'
import { showUpload, uploadSchema } from './show-upload.ts'
import type { UploadServices } from './upload-services.ts'
import { uploadEndpoint, uploadWords } from './upload-words.ts'

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
