import type { Ids } from '../../../lib/ids.ts'
import type { InspectMedia } from '../../../lib/media-inspection/inspected.ts'
import type { MediaFiles } from '../../../storage/media-files.ts'
import type { Uploads } from '../../../storage/uploads.ts'
import type { MediaType } from '../media-urls.ts'
import type { MakePoster } from '../poster/make-poster.ts'
import type { Receipts } from './receipts.ts'

/** What the endpoints of uploads work with. */
export interface UploadServices {
  uploads: Uploads
  mediaFiles: MediaFiles
  inspectMedia: InspectMedia
  makePoster: MakePoster
  /** A new URL where a file of media is served; whoever has it may read the file. */
  mediaUrl(mediaKey: string, type: MediaType): string
  /** How many bytes a user may have uploaded. */
  mediaQuotaBytes: number
  receipts: Receipts
  ids: Ids
  now: () => number
}
