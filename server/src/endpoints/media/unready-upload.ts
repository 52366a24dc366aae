import type { Upload, Uploads } from '../../storage/uploads.ts'

/** What finds the upload of media that are not there. */
export interface UploadsByNow {
  uploads: Pick<Uploads, 'find'>
  now: () => number
}

function stateOf({ state, error }: Upload): string | undefined {
  if (state === 'open') return 'is not finalized'
  if (state === 'failed') return `has failed: ${error ?? 'it cannot be used'}`
  return state === 'succeeded' ? undefined : 'is still processed'
}

/** Of media that a user does not have, why there are none of the first with an upload of the user; empty where none has one. */
export async function unreadyUpload(userId: string, mediaIds: readonly string[], { uploads, now }: UploadsByNow): Promise<string> {
  for (const id of mediaIds) {
    const upload = await uploads.find(userId, id, now())
    const state = upload && stateOf(upload)
    if (state !== undefined) return `; the upload ${id} ${state}`
  }
  return ''
}
