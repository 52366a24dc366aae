import { rm } from 'node:fs/promises'
import { newMediaUrl } from '../endpoints/media/media-urls.ts'
import { createMakePoster } from '../endpoints/media/poster/make-poster.ts'
import { createReceipts } from '../endpoints/media/upload/receipts.ts'
import { createSegmentSweeper } from '../endpoints/media/upload/segments.ts'
import type { UploadServices } from '../endpoints/media/upload/upload-services.ts'
import { createUploadWorker } from '../endpoints/media/upload/upload-worker.ts'
import { inspectMedia } from '../lib/media-inspection/inspect-media.ts'
import { does } from '../settings/roles.ts'
import { mapErrors } from '../storage/map-errors.ts'
import { defaultMediaStore, openMediaFiles, temporaryMediaFolder } from '../storage/media-files/open-media-files.ts'
import type { MediaFiles } from '../storage/media-files.ts'
import { Unavailable } from '../storage/unavailable.ts'
import type { Base } from './parts.ts'

/** What endpoints of media are given, and the background work on them. */
export function assembleMedia({ wing, settings, storage, clock, now, ids, logger, activity, listening }: Base) {
  const { uploads, changes } = storage
  const { mediaStore, databaseUrl } = settings
  const temporary = mediaStore === undefined && databaseUrl === 'sqlite::memory:' ? temporaryMediaFolder() : undefined
  const opened = openMediaFiles(mediaStore ?? temporary ?? defaultMediaStore(databaseUrl), clock, logger)
  const tracked = (files: MediaFiles): MediaFiles => ({
    ...mapErrors(files, (error) => error, { track: activity.track }),
    until: (signal) => tracked(files.until(signal)),
  })
  const files = tracked(opened)
  const stopping = new AbortController()
  const kept = wing?.keepFiles(files)
  const services: UploadServices = {
    uploads,
    inspectMedia,
    ids,
    now,
    receipts: createReceipts(),
    mediaQuotaBytes: settings.mediaQuotaBytes,
    mediaFiles: kept?.files ?? files,
    makePoster: createMakePoster({ ffmpeg: settings.ffmpeg, clock, logger, signal: stopping.signal }),
    mediaUrl: (mediaKey, type) => newMediaUrl(settings.mediaBaseUrl ?? listening.origins.base_url, mediaKey, type),
  }
  const mediaFiles = services.mediaFiles.until(stopping.signal)
  const workers = does(settings.roles, 'backgroundWork')
    ? [
        createUploadWorker({ ...services, mediaFiles, changes, clock, logger, activity }),
        createSegmentSweeper({ uploads, mediaFiles, clock, logger }),
      ]
    : []
  return {
    services,
    /** The files that snapshots bring back: in development alone. */
    snapshots: kept?.snapshots,
    start() {
      for (const worker of workers) worker.start()
    },
    /** Gives up what is being processed: the next start or another process does it again. Resolves once nothing runs. */
    async stop() {
      const stopped = workers.map((worker) => worker.stop())
      stopping.abort(new Unavailable('This process is stopping.'))
      await Promise.all(stopped)
    },
    /** Once nobody asks for files any more. */
    async close() {
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
    },
  }
}
export type MediaParts = ReturnType<typeof assembleMedia>
