import { type Inspected, UnusableMedia } from '../../../lib/media-inspection/inspected.ts'
import { type KindLimits, kindIn, type MediaKind, mediaTypes, type UploadKind, uploadKind } from './upload-kinds.ts'

const MB = 1024 * 1024

/** Kinds, for people. */
export const kindNames: Record<MediaKind, string> = { image: 'an image', gif: 'an animated GIF', video: 'a video' }

const heldBy = ({ holds }: UploadKind) => (Object.keys(holds) as MediaKind[]).map((kind) => kindNames[kind]).join(' or ')

/** What is wrong with the size of media; undefined if nothing is. */
export const sizeProblem = (size: number, kind: MediaKind, { maxBytes }: KindLimits): string | undefined =>
  size > maxBytes ? `${kindNames[kind]} is at most ${maxBytes / MB} MB, and this has ${size} bytes` : undefined

function sidesProblem({ width, height }: Inspected, { maxSide, maxRatio }: KindLimits): string | undefined {
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)]
  if (maxSide !== undefined && longer > maxSide) return `an image is at most ${maxSide}x${maxSide} pixels, and this has ${width}x${height}`
  if (maxRatio !== undefined && longer > maxRatio * shorter)
    return `the aspect ratio of a video is 1:${maxRatio} to ${maxRatio}:1, and this has ${width}x${height} pixels`
  return undefined
}

function durationProblem(inspected: Inspected, { maxMs }: KindLimits): string | undefined {
  if (inspected.kind !== 'video' || maxMs === undefined || inspected.durationMs <= maxMs) return undefined
  return `a video of this category has at most ${maxMs / 1000} seconds, and this has ${inspected.durationMs / 1000}`
}

/** What is declared of an upload. */
interface Declared {
  category: string | null
  mediaType: string | null
}

/** What a declared kind may come to; throws `UnusableMedia` for one that the category does not hold. */
export function limitsOf({ category }: Declared, kind: MediaKind): KindLimits {
  const purpose = uploadKind(category)
  const limits = purpose.holds[kind]
  if (!limits) throw new UnusableMedia(`${category} takes ${heldBy(purpose)}, and this is ${kindNames[kind]}`)
  return limits
}

/** The kind of a file, by its contents. Throws `UnusableMedia` where it is none of what was declared, or beyond its limits. */
export function checkMedia(inspected: Inspected, size: number, declared: Declared): MediaKind {
  const told = declared.mediaType === null ? undefined : mediaTypes[declared.mediaType]
  const kind = kindIn(uploadKind(declared.category), inspected, told)
  const limits = limitsOf(declared, kind)
  if (told !== undefined && (told === 'video') !== (kind === 'video'))
    throw new UnusableMedia(`media_type is ${declared.mediaType}, and the file is ${inspected.mime}`)
  const problem = sizeProblem(size, kind, limits) ?? sidesProblem(inspected, limits) ?? durationProblem(inspected, limits)
  if (problem !== undefined) throw new UnusableMedia(problem)
  return kind
}
