/** How many deliveries apps with a usage cap were given in the running month (§7): one number for each, shared by all processes of a database. */
export interface AppUsage {
  /** Adds deliveries, by app. A new month begins at 0; apps that do not exist are passed over. */
  add(deliveries: ReadonlyMap<string, number>, month: number): Promise<void>
  /** Those of an app in a month, which is not before the last one that was counted. */
  deliveries(appId: string, month: number): Promise<number>
}
