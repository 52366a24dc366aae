/** Single values that must survive a restart, by name: how far the clock was moved, what proves the sealing secret. */
export interface Metadata {
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
  /** As `set`; a loss of power may bring the former value back. */
  setUnsynced(name: string, value: string): Promise<void>
  /** Sets it unless it is set already; answers what it is then. */
  setIfAbsent(name: string, value: string): Promise<string>
}
