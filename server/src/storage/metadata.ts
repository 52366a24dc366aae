/** Persistent key-value settings of the database: the offset of the clock, the value that verifies the sealing secret, … */
export interface Metadata {
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
  /** Like `set`, without an fsync: after a power failure the former value may be back. */
  setUnsynced(name: string, value: string): Promise<void>
  /** Sets the value if there is none. Returns the stored value. */
  setIfAbsent(name: string, value: string): Promise<string>
}
