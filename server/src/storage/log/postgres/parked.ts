/** The webhooks that this process has parked. Each parking has a number of its own. */
export function createParked() {
  const parkings = new Map<string, number>()
  let count = 0
  return {
    has: (webhookId: string) => parkings.has(webhookId),
    add: (webhookId: string) => void parkings.set(webhookId, ++count),
    /** The number of the current parking. */
    parking: (webhookId: string) => parkings.get(webhookId),
    /** Ends this parking. Returns false if the webhook was parked again since. */
    end(webhookId: string, parking: number | undefined): boolean {
      if (parkings.get(webhookId) !== parking) return false
      parkings.delete(webhookId)
      return true
    },
    clear: () => parkings.clear(),
  }
}
export type Parked = ReturnType<typeof createParked>
