export interface Loss {
  /** What is lost, as a sentence without its full stop. */
  loss: string
  /** What the operator may do instead of accepting it, as a sentence without its full stop. */
  remedy: string
  /** What is lost, in a few words. */
  lost: string
  /** The id of this loss. */
  id: string
  /** The id that `POSTERN_ACCEPT_LOG_LOSS` has. */
  accepted: string | undefined
}

/** Returns a warning if the operator accepts this loss. Throws otherwise, and names the id to accept it with. */
export function acceptLoss({ loss, remedy, lost, id, accepted }: Loss): string {
  if (accepted === id) return `${loss}. Starting without ${lost}, as POSTERN_ACCEPT_LOG_LOSS says; unset it now`
  throw new Error(`${loss}. ${remedy}. To start without ${lost}: POSTERN_ACCEPT_LOG_LOSS=${id}`)
}
