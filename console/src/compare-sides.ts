/** What is compared: an event, or an attempt of one of its deliveries, by its place. */
export interface Side {
  uuid: string
  attempt: { webhookId: string; place: number } | undefined
}

/** `<event>`, or `<event>.<webhook>.<place>`. */
const SIDE = /^(-?\d{1,19})(?:\.(\d{1,19})\.(\d{1,6}))?$/

/** How an attempt is named in the address of a comparison. */
export const attemptSide = (uuid: string, webhookId: string, place: number) => `${uuid}.${webhookId}.${place}`

/** Undefined for what names none. */
export function sideOf(step: string | undefined): Side | undefined {
  const found = SIDE.exec(step ?? '')
  if (!found) return undefined
  const [, uuid, webhookId, place] = found
  return { uuid: uuid!, attempt: webhookId === undefined ? undefined : { webhookId, place: Number(place) } }
}
