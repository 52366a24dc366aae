/** The webhooks whose deliveries wait in the log as far as this process is concerned. Each parking is told from the one before. */
export function createParked() {
  const parkings = new Map<string, number>()
  let count = 0
  return {
    has: (webhookId: string) => parkings.has(webhookId),
    add: (webhookId: string) => void parkings.set(webhookId, ++count),
    /** The parking that stands now. */
    parking: (webhookId: string) => parkings.get(webhookId),
    /** Ends that parking. False when the webhook was parked anew since. */
    end(webhookId: string, parking: number | undefined): boolean {
      if (parkings.get(webhookId) !== parking) return false
      parkings.delete(webhookId)
      return true
    },
    clear: () => parkings.clear(),
  }
}
export type Parked = ReturnType<typeof createParked>
