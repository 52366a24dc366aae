import type { Content } from '../../../storage/content.ts'
import { media } from '../../../storage/content-tables.ts'
import { ownersOf } from '../../media/owners.ts'

/** A ratio of width to height, in whole numbers. */
export type Ratio = readonly [width: number, height: number]

/** What a ratio may differ from one that is asked for: sides are whole pixels, and those of a video often even ones. */
const TOLERANCE = 0.01

/** Ratios that media are told to have when theirs is so near. */
const USUAL: readonly Ratio[] = [
  [16, 9],
  [9, 16],
  [1, 1],
  [4, 3],
  [3, 4],
]

/** Whether sides have a ratio, within one percent. */
export const hasRatio = (width: number, height: number, [across, down]: Ratio): boolean =>
  Math.abs((width * down) / (height * across) - 1) <= TOLERANCE

const divisorOf = (one: number, other: number): number => (other === 0 ? one : divisorOf(other, one % other))

/** The ratio of sides: a usual one that is near, else the sides without their common divisor. */
function ratioOf(width: number, height: number): Ratio {
  const divisor = divisorOf(width, height)
  return USUAL.find((ratio) => hasRatio(width, height, ratio)) ?? [width / divisor, height / divisor]
}

/** Media that were uploaded or seeded, as creatives show them. */
export interface StoredMedia {
  key: string
  ownerId: string | null
  /** The owner, and those whom the upload named. */
  owners: readonly string[]
  type: string
  /** Null for media that were uploaded without one. */
  category: string | null
  /** Where the image is, or the best file of the video. */
  url: string | null
  /** The playlist of a video. */
  hlsUrl: string | null
  /** The first frame of a video or GIF. */
  previewUrl: string | null
  width: number | null
  height: number | null
  durationMs: number | null
}

interface Variant {
  content_type?: string
  bit_rate?: number
  url?: string
}

const PLAYLIST = 'application/x-mpegURL'

const COLUMNS = [
  ...['media_key', 'owner_id', 'type', 'category', 'url', 'variants', 'preview_image_url', 'width', 'height', 'duration_ms', 'more'],
]

function variantsOf(stored: unknown): Variant[] {
  const variants: unknown = typeof stored === 'string' ? JSON.parse(stored) : stored
  return Array.isArray(variants) ? variants : []
}

const bestFile = (variants: readonly Variant[]) =>
  variants.filter(({ content_type }) => content_type !== PLAYLIST).toSorted((one, other) => (other.bit_rate ?? 0) - (one.bit_rate ?? 0))[0]

function mediaOfRow(row: readonly unknown[]): StoredMedia {
  const [key, ownerId, type, category, url, stored, previewUrl, width, height, durationMs, more] = row as [string, ...(string & number)[]]
  const variants = variantsOf(stored)
  return {
    key,
    ownerId: ownerId ?? null,
    owners: ownersOf(ownerId, more),
    type: type!,
    category: category ?? null,
    previewUrl: previewUrl ?? null,
    url: url ?? bestFile(variants)?.url ?? null,
    hlsUrl: variants.find(({ content_type }) => content_type === PLAYLIST)?.url ?? null,
    width: width ?? null,
    height: height ?? null,
    durationMs: durationMs ?? null,
  }
}

/** Media by their keys, read with one statement; those that do not exist are missing. */
export async function mediaByKey(content: Pick<Content, 'rows'>, keys: Iterable<string>): Promise<Map<string, StoredMedia>> {
  const rows = await content.rows(media, COLUMNS, [...new Set(keys)])
  return new Map(rows.map(mediaOfRow).map((one) => [one.key, one]))
}

/** The ratio of media whose size is known. */
export const ratioOfMedia = ({ width, height }: StoredMedia): Ratio | undefined => (width && height ? ratioOf(width, height) : undefined)

/** The same as answers have it: `16:9`. */
export const aspectRatioOf = (media: StoredMedia | undefined): string | null => (media && ratioOfMedia(media)?.join(':')) ?? null
