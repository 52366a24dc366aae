import { endpoint } from '../../../api/declare/endpoint.ts'
import { object } from '../../../api/declare/words.ts'
import { finalizeUpload } from './finalize-upload.ts'
import { showUpload, uploadSchema } from './show-upload.ts'
import type { UploadServices } from './upload-services.ts'
import { uploadEndpoint, uploadWords } from './upload-words.ts'

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
