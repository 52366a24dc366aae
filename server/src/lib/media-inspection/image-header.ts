import { GIF } from 'image-size/types/gif'
import { JPG } from 'image-size/types/jpg'
import { PNG } from 'image-size/types/png'
import { WEBP } from 'image-size/types/webp'

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

/** The size of a JPG, GIF, WEBP or PNG as it is shown, from its first bytes. */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  if (bytes.length < MIN_BYTES) return 'more'
  const format = formats.find((one) => isOf(one, bytes))
  if (!format) return 'no image'
  try {
    const { width, height, orientation = 1 } = format.calculate(bytes)
    if (!Number.isSafeInteger(width) || !Number.isSafeInteger(height)) return 'more'
    return orientation >= FIRST_TURNED ? { width: height, height: width } : { width, height }
  } catch {
    return 'more'
  }
}
