/** A request, whichever server it came through. */
export interface Incoming {
  method: string
  /** As it came over the wire, without `?`. */
  query: string
  /** The value of a header by its lower-case name; undefined or null when absent. */
  header(name: string): unknown
  /** The bytes as they came over the wire. Throws a Refusal: 408, 413, 400 when cut off, 500 when already read by others. */
  body(): Promise<Uint8Array>
}

/** What is answered, as JSON. */
export interface Answer {
  status: number
  headers?: Record<string, string>
  body: object
}
