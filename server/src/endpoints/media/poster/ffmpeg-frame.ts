import { spawn } from 'node:child_process'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../../lib/clock.ts'
import type { InspectedFile } from '../../../lib/media-inspection/inspected.ts'
import { movieHead } from '../../../lib/media-inspection/movie-head.ts'
import { SECOND_MS } from '../../../lib/time.ts'

const LONGEST_MS = 10 * SECOND_MS
const MAX_PICTURE_BYTES = 5 * 1024 * 1024
const PIECE_BYTES = 1024 * 1024

/** Larger frames, whatever the header says, and larger pieces of memory than this are refused by the decoder. */
const MAX_PIXELS = 8192 * 8192
const MAX_ALLOCATION = 512 * 1024 * 1024

/** The file is a movie and nothing else (a playlist could name other files); nothing but files is opened; one thread, one frame. */
const argumentsFor = (input: string, output: string) => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-max_alloc', String(MAX_ALLOCATION)],
  ...['-protocol_whitelist', 'file', '-max_pixels', String(MAX_PIXELS), '-threads', '1', '-f', 'mov', '-i', input],
  ...['-map', '0:v:0', '-frames:v', '1', '-threads', '1', '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '4', '-f', 'image2', output],
]

/** Copies what the first frame needs to its place in a file of the same size, which takes no more room than that. */
async function copyHead(file: InspectedFile, path: string) {
  const copy = await open(path, 'wx', 0o600)
  try {
    await copy.truncate(file.size)
    for (const { start, end } of await movieHead(file))
      for (let at = start; at < end; at += PIECE_BYTES) await copy.write(await file.read(at, Math.min(end, at + PIECE_BYTES)), 0, null, at)
  } finally {
    await copy.close()
  }
}

/** Runs the decoder, without a shell, an environment or an input. False if it fails or takes too long. */
function run(program: string, args: readonly string[], folder: string, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: folder, env: {}, stdio: 'ignore' })
    const timer = clock.after(LONGEST_MS, () => child.kill('SIGKILL'))
    const end = (succeeded: boolean) => {
      timer.cancel()
      resolve(succeeded)
    }
    child.once('error', () => end(false)).once('exit', (code) => end(code === 0))
  })
}

/** The first frame of a video as a JPEG, made by `ffmpeg`; undefined if it cannot be had. */
export async function ffmpegFrame(program: string, file: InspectedFile, clock: Clock): Promise<Buffer | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-poster-'))
  try {
    const [input, output] = [join(folder, 'video'), join(folder, 'poster.jpg')]
    await copyHead(file, input)
    if (!(await run(program, argumentsFor(input, output), folder, clock))) return undefined
    const { size } = await stat(output)
    return size <= MAX_PICTURE_BYTES ? await readFile(output) : undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
