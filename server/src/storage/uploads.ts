import type { Claim, DueWork } from './due-work.ts'

/**
 * open         segments come
 * pending      finalized; waits for its processing
 * in_progress  is being processed
 * succeeded    the media exists
 * failed       it cannot be used; the error says why
 * removed      it expired, was given up, or its user was removed; its files are going
 */
export type UploadState = 'open' | 'pending' | 'in_progress' | 'succeeded' | 'failed' | 'removed'

/** What a file is, as far as answers tell it. */
export interface UploadedKind {
  mime: string
  kind: 'image' | 'gif' | 'video'
  width: number
  height: number
}

/** An upload of a user, from its first request until its media is ready. */
export interface Upload {
  id: string
  ownerId: string
  mediaKey: string
  /** What it was declared for, in lower case; of direct messages too. */
  category: string | null
  /** The declared media type; null where it was sent in one request. */
  mediaType: string | null
  additionalOwners: readonly string[]
  totalBytes: number
  receivedBytes: number
  state: UploadState
  /** Grows with each segment, so that what was read of an upload is known to be what it still is. */
  revision: number
  /** Percent of the processing. */
  progress: number
  error: string | null
  /** Set with success. */
  kind: UploadedKind | null
  createdAtMs: number
  expiresAtMs: number
}

export type NewUpload = Pick<
  Upload,
  'id' | 'ownerId' | 'mediaKey' | 'category' | 'mediaType' | 'additionalOwners' | 'totalBytes' | 'createdAtMs' | 'expiresAtMs'
>

/** A part of the file, in a file of its own. */
export interface Segment {
  index: number
  key: string
  size: number
}

/** How much a user may have: uploads that are not finalized or failed, and bytes of everything else. */
export interface UploadCaps {
  open: number
  bytes: number
}

/** A row of the content table `media`, by its columns. */
export type MediaValues = Readonly<Record<string, string | number | null>>

/** Uploads of users. Their bytes are in files, whose keys the segments name. */
export interface Uploads extends DueWork {
  create(upload: NewUpload, caps: UploadCaps): Promise<'created' | 'too-many-open' | 'too-many-bytes' | 'no-such-user'>
  /** An upload of this user; undefined for one of another user, like for one that does not exist or has expired. */
  find(ownerId: string, id: string, nowMs: number): Promise<Upload | undefined>
  /** In the order of their indices. */
  segments(id: string): Promise<Segment[]>
  /**
   * Adds a segment to an open upload of this user; one of the same index is replaced, and its file is nobody's any more. It is durable once
   * this resolves.
   */
  addSegment(
    ownerId: string,
    id: string,
    segment: Segment,
    nowMs: number,
  ): Promise<
    { result: 'added'; replaced: string | undefined; expiresAtMs: number } | { result: 'unknown' | 'finalized' | 'too-many-bytes' }
  >
  /** Ends the taking in of segments, and has the upload processed before it expires. False if it has changed since it was read. */
  submit(upload: Upload, times: { nowMs: number; expiresAtMs: number }): Promise<boolean>
  /**
   * Ends the taking in of segments for a process that makes the media at once; if it has not by `untilMs`, the upload is processed. False if
   * it has changed since it was read.
   */
  take(upload: Upload, untilMs: number): Promise<boolean>
  /** Makes the media. False if the upload has changed since it was read, or its user is gone. */
  succeed(upload: Upload, kind: UploadedKind, media: MediaValues, nowMs: number): Promise<boolean>
  /** False if the upload has changed since it was read. */
  fail(upload: Upload, error: string, nowMs: number): Promise<boolean>
  /** Gives up an upload that is not media yet: it is removed. */
  abandon(upload: Upload, nowMs: number): Promise<void>
  /** The upload of a claim, whoever's. */
  claimed(claim: Claim): Promise<Upload | undefined>
  /** Says how far the processing is. False if the claim has been lost. */
  progress(claim: Claim, percent: number): Promise<boolean>
  /** Forgets the segments, whose files are gone, and ends the claim: the upload is due again at this time, or never. */
  cleaned(claim: Claim, dueAtMs: number | null): Promise<void>
  /** Says that an upload is going, before its files go: nothing becomes media of it any more. False if the claim has been lost. */
  beginRemoval(claim: Claim): Promise<boolean>
  /** Deletes an upload whose files are gone. Its media stays. */
  remove(claim: Claim): Promise<void>
  /** Which of these files are segments of uploads. */
  known(keys: readonly string[]): Promise<Set<string>>
}
