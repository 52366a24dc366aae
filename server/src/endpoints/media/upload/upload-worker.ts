import { MINUTE_MS } from '../../../lib/time.ts'
import type { Claim } from '../../../storage/due-work.ts'
import { folderOfMedia } from '../../../storage/media-files.ts'
import type { Upload } from '../../../storage/uploads.ts'
import { createDueWorker, type DueWorkerOptions } from '../../work/due-worker.ts'
import { inspectUpload, isUnusable, makeMedia } from './finalize-upload.ts'
import type { UploadServices } from './upload-services.ts'

/** Joining half a gigabyte takes seconds. */
const CLAIM_MS = 5 * MINUTE_MS
const AT_ONCE = 2

/** How far processing is, in percent, once the file is known to be usable. */
const INSPECTED = 50

export type UploadWorkServices = Pick<UploadServices, 'uploads' | 'mediaFiles' | 'inspectMedia' | 'makePoster' | 'mediaUrl' | 'now'>

/** Does what is due of an upload. What is cut off is done again: every step may be repeated. */
function createWork(services: UploadWorkServices) {
  const { uploads, mediaFiles, now } = services

  const removeSegments = async ({ id }: Upload) => mediaFiles.remove((await uploads.segments(id)).map(({ key }) => key))

  const removeMedia = async ({ mediaKey }: Upload) => mediaFiles.remove(await mediaFiles.list(folderOfMedia(mediaKey)))

  const process = async (claim: Claim, upload: Upload) => {
    if (!(await uploads.progress(claim, 0))) return
    const segments = await uploads.segments(upload.id)
    try {
      const found = await inspectUpload(upload, segments, services)
      if (await uploads.progress(claim, INSPECTED)) await makeMedia(upload, segments, found, services)
    } catch (error) {
      if (!isUnusable(error)) throw error
      await uploads.fail(upload, error.message, now())
    }
  }

  /** There is no media of it, or no more; a file may have been joined. */
  const expire = async (claim: Claim, upload: Upload) => {
    if (!(await uploads.beginRemoval(claim))) return
    await removeMedia(upload)
    await removeSegments(upload)
    await uploads.remove(claim)
  }

  return async (claim: Claim) => {
    const upload = await uploads.claimed(claim)
    if (!upload) return
    const isExpired = upload.expiresAtMs <= now()
    switch (upload.state) {
      case 'succeeded':
        await removeSegments(upload)
        return uploads.cleaned(claim, null)
      case 'pending':
      case 'in_progress':
        return isExpired ? expire(claim, upload) : process(claim, upload)
      case 'open':
      case 'removed':
        return expire(claim, upload)
      case 'failed':
        if (isExpired) return expire(claim, upload)
        await removeSegments(upload)
        return uploads.cleaned(claim, upload.expiresAtMs)
    }
  }
}

/** Processes what is finalized, and removes the files of what has ended, in the background. */
export const createUploadWorker = (services: UploadWorkServices & Pick<DueWorkerOptions, 'changes' | 'clock' | 'logger' | 'activity'>) => {
  const { uploads, changes, clock, logger, activity } = services
  const work = createWork(services)
  return createDueWorker({
    queue: 'uploads',
    work: uploads,
    changes,
    clock,
    logger,
    activity,
    claimMs: CLAIM_MS,
    atOnce: AT_ONCE,
    run: work,
  })
}
