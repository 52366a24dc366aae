/** Why a call is refused, for whoever develops against this server. The answer itself does not tell it. */
export interface Why {
  /** A sentence. */
  reason: string
  /** What else there is to know and to do, in sentences. Asked for in development alone, once the answer is decided. May reject. */
  more?: More
  /** The URL of an explanation that is kept already. */
  explainUrl?: string
}

export type More = () => readonly string[] | Promise<readonly string[]>
