/** What an answer's body holds: the value of the handler, and what the area puts beside it. */
export type Envelope = (value: unknown, echo: () => Record<string, unknown>) => unknown

export const plainBody: Envelope = (value) => value

/** The parameters of the request stand beside the answer (§2.4). */
export const besideRequest: Envelope = (value, echo) => ({ request: { params: echo() }, ...(value as object) })
