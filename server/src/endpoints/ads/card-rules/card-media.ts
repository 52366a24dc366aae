import { type AdsCode, problemOf } from '../../../api/declare/codes.ts'
import { adsError, type ErrorDetail, Problem } from '../../../api/declare/problem.ts'
import { typeOfKey } from '../media/media-key.ts'
import { hasRatio, type Ratio, type StoredMedia } from '../media/stored-media.ts'

/** What media of a card must be (public practice). What is not known of media breaks no rule. */
export interface MediaSpec {
  type: 'IMAGE' | 'VIDEO'
  minWidth?: number
  /** One of these, each with its name. */
  ratios?: Readonly<Record<string, Ratio>>
  maxDurationMs?: number
}

const MIN_WIDTH = 800
const MAX_DURATION_MS = 10 * 60_000

const SQUARE: Ratio = [1, 1]
const WIDE_IMAGE: Ratio = [1.91, 1]
const WIDE_VIDEO: Ratio = [16, 9]

/** Media of the components of cards. */
export const componentSpecs: Readonly<Record<'IMAGE' | 'VIDEO', MediaSpec>> = {
  IMAGE: { type: 'IMAGE', minWidth: MIN_WIDTH, ratios: { '1:1': SQUARE, '1.91:1': WIDE_IMAGE } },
  VIDEO: { type: 'VIDEO', ratios: { '16:9': WIDE_VIDEO, '1:1': SQUARE }, maxDurationMs: MAX_DURATION_MS },
}

/** Media of poll and conversation cards. */
export const legacySpecs: Readonly<Record<'IMAGE' | 'VIDEO', MediaSpec>> = {
  IMAGE: { type: 'IMAGE', minWidth: MIN_WIDTH, ratios: { '1.91:1': WIDE_IMAGE } },
  VIDEO: { type: 'VIDEO', ratios: { '16:9': WIDE_VIDEO }, maxDurationMs: MAX_DURATION_MS },
}

/** Media that a request names, and where. */
export interface MediaUse {
  key: string
  /** The parameter: `components[0].media_key`. */
  at: string
  spec: MediaSpec
  /** What it may be, where other media would have another spec. */
  mayBe?: string
  /** A user whose own media it may be instead of media of the library. */
  orOf?: string
}

/** The poster of a video: an image of the media library, or of the user. */
export const posterUse = (key: string, userId: string): MediaUse => ({ key, at: 'poster_media_key', spec: { type: 'IMAGE' }, orOf: userId })

const nameOf = { IMAGE: 'an image', VIDEO: 'a video' }

/** What of media is not as it must be, as the end of a sentence. */
function broken({ key, spec, mayBe }: MediaUse, { width, height, durationMs }: StoredMedia): string | undefined {
  const { type, minWidth, ratios = {}, maxDurationMs } = spec
  if (typeOfKey(key) !== type) return `must be ${mayBe ?? nameOf[type]}`
  if (minWidth !== undefined && width !== null && width < minWidth)
    return `must be at least ${minWidth} pixels wide, and ${key} is ${width}`
  const names = Object.keys(ratios)
  const isMeasured = names.length > 0 && width !== null && height !== null
  if (isMeasured && !Object.values(ratios).some((ratio) => hasRatio(width, height, ratio)))
    return `must be ${nameOf[type]} of ${names.join(' or ')}, and ${key} has ${width} × ${height} pixels`
  if (maxDurationMs !== undefined && durationMs !== null && durationMs > maxDurationMs)
    return `must be at most ${maxDurationMs / 60_000} minutes long, and ${key} is longer`
  return undefined
}

/** What is wrong with the media that a card uses; `library` are the keys of those that the account has. */
function errorsOf(use: MediaUse, media: ReadonlyMap<string, StoredMedia>, library: ReadonlySet<string>): ErrorDetail[] {
  const { key, at, orOf } = use
  const stored = media.get(key)
  if (!stored || !(library.has(key) || (orOf !== undefined && stored.owners.includes(orOf)))) {
    const where = `in the media library of the account${orOf === undefined ? '' : ' or among the media of the user'}`
    return [adsError('MEDIA_NOT_FOUND', `Media ${key} was not found ${where}`, at)]
  }
  const wrong = broken(use, stored)
  return wrong === undefined ? [] : [adsError('INVALID_MEDIA', `${at} ${wrong}`, at)]
}

/** Throws every error of the media that a card uses. */
export function assertMedia(uses: readonly MediaUse[], media: ReadonlyMap<string, StoredMedia>, library: ReadonlySet<string>) {
  const errors = uses.flatMap((use) => errorsOf(use, media, library))
  const [first] = errors
  if (first) throw new Problem(problemOf(first.code as AdsCode), { detail: first.message, errors })
}
