import { Problem } from '../../../api/declare/problem.ts'
import { UnusableMedia } from '../../../lib/media-inspection/inspected.ts'
import { cutText } from '../../../lib/text.ts'
import { DAY_MS } from '../../../lib/time.ts'
import type { NewUpload, Upload } from '../../../storage/uploads.ts'
import { limitsOf, sizeProblem } from './check-media.ts'
import { mediaProblem } from './media-problem.ts'
import { keyOfUpload, type MediaKind, mediaTypes, readCategory, type UploadCategory, uploadCategories, uploadKind } from './upload-kinds.ts'
import type { UploadServices } from './upload-services.ts'

/** After this time an upload that is not finalized goes, and one whose processing does not end. */
export const LIFETIME_MS = DAY_MS

/** Of a value in a message. */
const MAX_QUOTE = 50

/** Uploads of a user that are not finalized, or have failed and not expired. */
const MAX_OPEN = 100

/** What an upload is declared as. */
export interface DeclaredUpload {
  totalBytes: number
  mediaType: string | null
  category: UploadCategory | null
  additionalOwners: readonly string[]
}

/** The declared category. Throws 400 for one that is not served. */
export function categoryOf(text: string | undefined): UploadCategory | null {
  if (text === undefined || text === '') return null
  const category = readCategory(text)
  if (category === undefined)
    throw mediaProblem(`must be one of ${uploadCategories.join(', ')}, not "${cutText(text, MAX_QUOTE)}"`, 'media_category')
  return category
}

/** The declared media type. Throws 400 for one that is not served. */
export function mediaTypeOf(text: string): string {
  const type = text.split(';')[0]!.trim().toLowerCase()
  if (!Object.hasOwn(mediaTypes, type))
    throw mediaProblem(`must be one of ${Object.keys(mediaTypes).join(', ')}, not "${cutText(text, MAX_QUOTE)}"`, 'media_type')
  return type
}

/** The kind that is declared. An image may turn out to be a GIF, and a GIF may be uploaded as an image. */
function declaredKind({ mediaType, category }: DeclaredUpload): MediaKind {
  const kind = mediaTypes[mediaType ?? ''] ?? 'image'
  const { holds } = uploadKind(category)
  return kind === 'gif' && !holds.gif && holds.image ? 'image' : kind
}

function assertDeclared(declared: DeclaredUpload, kind: MediaKind) {
  try {
    const problem = sizeProblem(declared.totalBytes, kind, limitsOf(declared, kind))
    if (problem !== undefined) throw mediaProblem(problem, 'total_bytes')
  } catch (error) {
    throw error instanceof UnusableMedia ? mediaProblem(error.message, 'media_type') : error
  }
}

const capped = (detail: string, period?: 'Daily') => () => new Problem('usage-capped', { detail, period, scope: 'Account' })

const refusals = {
  'too-many-open': capped(
    `You have ${MAX_OPEN} uploads that are not finalized or failed: finalize some, or wait until they expire.`,
    'Daily',
  ),
  'too-many-bytes': capped('You have uploaded as much as one user may have here.'),
  'no-such-user': () => new Problem('unauthorized', { detail: 'The user has been removed.' }),
}

/** Creates an upload without segments. Throws 400 for what its kind does not allow, and 429 where the user has too much. */
export async function createUpload(
  userId: string,
  declared: DeclaredUpload,
  kind: MediaKind,
  { uploads, ids, now, mediaQuotaBytes }: UploadServices,
): Promise<Upload> {
  const id = ids.next()
  const createdAtMs = now()
  const { category, mediaType, totalBytes, additionalOwners } = declared
  const upload: NewUpload = {
    id,
    ownerId: userId,
    mediaKey: keyOfUpload(id, uploadKind(category), kind),
    category,
    mediaType,
    additionalOwners,
    totalBytes,
    createdAtMs,
    expiresAtMs: createdAtMs + LIFETIME_MS,
  }
  const created = await uploads.create(upload, { open: MAX_OPEN, bytes: mediaQuotaBytes })
  if (created !== 'created') throw refusals[created]()
  return { ...upload, receivedBytes: 0, state: 'open', revision: 0, progress: 0, error: null, kind: null }
}

/** Begins an upload whose segments follow. */
export function beginUpload(userId: string, declared: DeclaredUpload, services: UploadServices): Promise<Upload> {
  const kind = declaredKind(declared)
  assertDeclared(declared, kind)
  return createUpload(userId, declared, kind, services)
}
