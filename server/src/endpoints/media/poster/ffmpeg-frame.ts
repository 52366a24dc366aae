import { spawn } from 'node:child_process'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../../lib/clock.ts'
import type { InspectedFile } from '../../../lib/media-inspection/inspected.ts'
import { movieHead } from '../../../lib/media-inspection/movie.ts'
import { SECOND_MS } from '../../../lib/time.ts'

const LONGEST_MS = 10 * SECOND_MS
const MAX_PICTURE_BYTES = 5 * 1024 * 1024
/** Of what a decoder says. */
const MAX_SAID = 500
const PIECE_BYTES = 1024 * 1024

/** Larger frames, whatever the header says, and larger pieces of memory than this are refused by the decoder. */
const MAX_PIXELS = 8192 * 8192
const MAX_ALLOCATION = 512 * 1024 * 1024

/** It ends by itself where nobody is left to end it; the file is a movie and nothing else (a playlist could name other files); nothing but files is opened; one thread, one frame. */
const argumentsFor = (input: string, output: string) => [
  ...['-timelimit', String(LONGEST_MS / SECOND_MS), '-nostdin', '-hide_banner', '-loglevel', 'error', '-max_alloc', String(MAX_ALLOCATION)],
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

interface Decoder {
  program: string
  clock: Clock
  signal: AbortSignal | undefined
}

/** Runs the decoder, without a shell, an environment or an input. Answers why it failed, with what it said; undefined if it did not. */
function failureOf({ program, clock, signal }: Decoder, args: readonly string[], folder: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: folder, env: {}, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(0, MAX_SAID)
    })
    const kill = () => {
      child.kill('SIGKILL')
      // Something that it started could hold its end open.
      child.stderr.destroy()
    }
    const timer = clock.after(LONGEST_MS, kill)
    signal?.addEventListener('abort', kill, { once: true })
    const end = (failure?: string) => {
      timer.cancel()
      signal?.removeEventListener('abort', kill)
      resolve(failure)
    }
    child.once('error', ({ message }) => end(message))
    child.once('close', (code, signal) => {
      const ended = signal === null ? `it ended with ${code}` : `it was ended by ${signal}`
      end(code === 0 ? undefined : `${ended}: ${said.trim()}`)
    })
  })
}

/** The first frame of a video as a JPEG, made by `ffmpeg`. Throws an Error that says why it cannot be had, also when the signal ended it. */
export async function ffmpegFrame(program: string, file: InspectedFile, clock: Clock, signal?: AbortSignal): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-poster-'))
  try {
    const [input, output] = [join(folder, 'video'), join(folder, 'poster.jpg')]
    await copyHead(file, input)
    signal?.throwIfAborted()
    const failure = await failureOf({ program, clock, signal }, argumentsFor(input, output), folder)
    if (failure !== undefined) throw new Error(failure)
    const { size } = await stat(output)
    if (size > MAX_PICTURE_BYTES) throw new Error(`the picture has ${size} bytes`)
    return await readFile(output)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
