import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FormData } from 'undici'
import { type Answer, call } from './call.ts'
import { authorization, type SigningCredentials } from './oauth-client.ts'
import type { Stage } from './postern.ts'
import { adas } from './signed-calls.ts'

/** A value of a form: text, or bytes. */
export type Part = string | number | Uint8Array

export interface UploadCall {
  as?: SigningCredentials
  query?: Record<string, string>
  /** Sent as multipart, in this order. */
  parts?: Record<string, Part> | [string, Part][]
  form?: Record<string, string>
  json?: unknown
}

function bodyOf(parts: NonNullable<UploadCall['parts']>): FormData {
  const body = new FormData()
  for (const [name, value] of Array.isArray(parts) ? parts : Object.entries(parts))
    if (value instanceof Uint8Array) body.append(name, new Blob([Uint8Array.from(value)]), 'file')
    else body.append(name, String(value))
  return body
}

/** A server that is called: in this process, or in one of its own. */
export interface Called {
  origins: Pick<Stage['origins'], 'base_url'>
  publicOrigins: Pick<Stage['origins'], 'base_url'>
  clock: Pick<Stage['clock'], 'now'>
}

/** A call that a user signs, Ada unless told otherwise; multipart and JSON bodies are not signed. */
export function uploadCall(
  stage: Called,
  method: string,
  path: string,
  { as = adas, query, parts, form, json }: UploadCall = {},
): Promise<Answer> {
  const target = path + (query ? `?${new URLSearchParams(query)}` : '')
  const header = authorization({ ...as, method, url: stage.publicOrigins.base_url + target, form, nowMs: stage.clock.now() })
  const body = parts ? bodyOf(parts) : form && new URLSearchParams(form).toString()
  return call(stage.origins.base_url + target, method, {
    headers: { authorization: header, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
    body,
    ...(json !== undefined && { json }),
  })
}

export const V1 = '/1.1/media/upload.json'

/** A step of an upload by `/1.1/`. */
export const v1 = (stage: Called, parts: Record<string, Part>, as?: SigningCredentials) => uploadCall(stage, 'POST', V1, { parts, as })

export const status = (stage: Called, mediaId: string, as?: SigningCredentials) =>
  uploadCall(stage, 'GET', V1, { query: { command: 'STATUS', media_id: mediaId }, as })

/** Begins an upload; answers its id. */
export async function init(stage: Called, totalBytes: number, mediaType = 'image/png', more: Record<string, Part> = {}): Promise<string> {
  const answer = await v1(stage, { command: 'INIT', total_bytes: totalBytes, media_type: mediaType, ...more })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.media_id_string
}

export async function append(stage: Called, mediaId: string, index: number, media: Uint8Array) {
  const answer = await v1(stage, { command: 'APPEND', media_id: mediaId, segment_index: index, media })
  assert.equal(answer.status, 200, answer.text)
}

export const finalize = (stage: Called, mediaId: string, as?: SigningCredentials) =>
  v1(stage, { command: 'FINALIZE', media_id: mediaId }, as)

/** Uploads a file in segments of one size; answers what FINALIZE did. */
export async function uploadInSegments(
  stage: Called,
  file: Uint8Array,
  mediaType: string,
  more: Record<string, Part> = {},
  size = file.length,
) {
  const mediaId = await init(stage, file.length, mediaType, more)
  for (let at = 0; at < file.length; at += size) await append(stage, mediaId, at / size, file.subarray(at, at + size))
  return finalize(stage, mediaId)
}

/** The state of an upload once it is processed. */
export const processed = (stage: Stage, mediaId: string): Promise<Answer> =>
  stage.until(async () => {
    const answer = await status(stage, mediaId)
    return ['succeeded', 'failed'].includes(answer.body.processing_info?.state) && answer
  })

/** The files of media and segments, and those that are being written. */
export async function filesOf(stage: Stage): Promise<string[]> {
  const entries = await readdir(stage.mediaFolder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(stage.mediaFolder.length + 1))
    .sort()
}
