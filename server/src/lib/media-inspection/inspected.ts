/** What a file of media is, by its contents. */
export type Inspected =
  | { kind: 'image'; mime: 'image/jpeg' | 'image/png' | 'image/webp'; width: number; height: number }
  | { kind: 'gif'; mime: 'image/gif'; width: number; height: number; isAnimated: boolean; durationMs?: number }
  | {
      kind: 'video'
      mime: 'video/mp4' | 'video/quicktime'
      width: number
      height: number
      durationMs: number
      aspectRatio: [number, number]
    }

/** A file that is inspected: its size, and bytes of it, from `start` to before `end`. */
export interface InspectedFile {
  size: number
  read(start: number, end: number): Promise<Uint8Array>
}

/** Reads bounded parts of a file. Throws `UnusableMedia` with what is wrong with it. */
export type InspectMedia = (file: InspectedFile) => Promise<Inspected>

/** A file that is no media which are served. The message is for people. */
export class UnusableMedia extends Error {}
