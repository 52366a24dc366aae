import { GIF } from 'image-size/types/gif'
import { JPG } from 'image-size/types/jpg'
import { PNG } from 'image-size/types/png'
import { WEBP } from 'image-size/types/webp'
import { cutOff } from './bounded-file.ts'
import { type Inspected, type InspectedFile, UnusableMedia } from './inspected.ts'
import { assertDrawable } from './limits.ts'

/** Only these formats are asked: the library's detector would try all that it knows, on bytes of strangers. */
const formats = [JPG, GIF, WEBP, PNG]

/** `more`: the size stands in bytes that have not arrived yet, if it is an image. */
export type ImageHeader = { width: number; height: number } | 'no image' | 'more'

/** So many bytes tell the format. */
const MIN_BYTES = 32

/** From this orientation of EXIF on, viewers turn a JPG by a quarter. */
const FIRST_TURNED = 5

const isOf = (format: (typeof formats)[number], bytes: Uint8Array) => {
  try {
    return format.validate(bytes)
  } catch {
    return false
  }
}

/** A JPG with more segments, and stray bytes between them, before its size is none: the library takes a step, and makes an array, for each. */
const MOST_STEPS = 1024
const MARKER = 0xff
/** The markers of segments with the size, as the library knows them. */
const SIZE_MARKERS = [0xc0, 0xc1, 0xc2]

/** Whether the library would take too many steps to the size of a JPG. It begins at the length of the first segment. */
function isTooLongWay(bytes: Uint8Array): boolean {
  let at = 4
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const next = at + ((bytes[at] ?? 0) << 8) + (bytes[at + 1] ?? 0)
    if (next >= bytes.length) return false
    if (bytes[next] !== MARKER) at += 1
    else if (SIZE_MARKERS.includes(bytes[next + 1] ?? 0)) return false
    else at = next + 2
  }
  return true
}

/** The size of a JPG, GIF, WEBP or PNG as it is shown, from its first bytes. */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  if (bytes.length < MIN_BYTES) return 'more'
  const format = formats.find((one) => isOf(one, bytes))
  if (!format || (format === JPG && isTooLongWay(bytes))) return 'no image'
  try {
    const { width, height, orientation = 1 } = format.calculate(bytes)
    if (!Number.isSafeInteger(width) || !Number.isSafeInteger(height)) return 'more'
    return orientation >= FIRST_TURNED ? { width: height, height: width } : { width, height }
  } catch {
    return 'more'
  }
}

type ImageMime = Extract<Inspected, { kind: 'image' }>['mime']

/** The size of a JPEG stands behind its profiles and its preview. */
const HEADER_BYTES = [4096, 64 * 1024, 512 * 1024]
/** Some programs write a little behind the end of an image. */
const TAIL_BYTES = 64 * 1024

/** What the last part of an image holds; undefined where its head tells its length. */
const endMarks: Record<ImageMime, Buffer | undefined> = {
  'image/png': Buffer.from('IEND\xaeB`\x82', 'latin1'),
  'image/jpeg': Buffer.from([0xff, 0xd9]),
  'image/webp': undefined,
}

const nameOf = (mime: ImageMime) => mime.slice('image/'.length).toUpperCase()

async function readHeader(file: InspectedFile): Promise<ImageHeader> {
  for (const length of HEADER_BYTES) {
    const header = readImageHeader(await file.read(0, Math.min(file.size, length)))
    if (header !== 'more' || file.size <= length) return header
  }
  return 'no image'
}

async function isWhole(file: InspectedFile, mime: ImageMime): Promise<boolean> {
  const mark = endMarks[mime]
  if (mark === undefined) return Buffer.from(await file.read(4, 8)).readUInt32LE() + 8 <= file.size
  const tail = await file.read(Math.max(0, file.size - TAIL_BYTES), file.size)
  return Buffer.from(tail).lastIndexOf(mark) >= 0
}

/** Width and height of an image as it is shown, which is whole as far as its head and its end tell. */
export async function inspectImage(file: InspectedFile, mime: ImageMime): Promise<Inspected> {
  const name = nameOf(mime)
  const header = await readHeader(file)
  if (header === 'more') throw cutOff(name)
  if (header === 'no image') throw new UnusableMedia(`The ${name} is damaged: its size cannot be read.`)
  if (!(await isWhole(file, mime))) throw cutOff(name)
  assertDrawable('image', header)
  return { kind: 'image', mime, ...header }
}
