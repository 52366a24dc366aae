/** In which logs webhooks are parked. Each parking has a number of its own. */
export function createParkings() {
  const parkings = new Map<string, Map<number, number>>()
  let count = 0
  return {
    add(webhookId: string, log: number) {
      const logs = parkings.get(webhookId) ?? new Map<number, number>()
      parkings.set(webhookId, logs.set(log, ++count))
    },
    logsOf: (webhookId: string): number[] => [...(parkings.get(webhookId)?.keys() ?? [])],
    parking: (webhookId: string, log: number) => parkings.get(webhookId)?.get(log),
    /** Ends this parking, unless the webhook was parked again since. */
    end(webhookId: string, log: number, parking: number | undefined) {
      const logs = parkings.get(webhookId)
      if (logs?.get(log) !== parking) return
      logs?.delete(log)
      if (logs?.size === 0) parkings.delete(webhookId)
    },
    clear: () => parkings.clear(),
  }
}
