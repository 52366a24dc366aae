import { endpoint } from '../../../api/declare/endpoint.ts'
import { oneOf } from '../../../api/declare/words.ts'
import { ownUpload } from './finalize-upload.ts'
import { showUploadV1, uploadV1Schema } from './show-upload.ts'
import type { UploadServices } from './upload-services.ts'
import { uploadEndpointV1, uploadWords } from './upload-words.ts'

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
