/** Where the storage tells what an operator should know. A pino logger is one. */
export interface StorageLog {
  info(detail: object, message: string): void
  warn(detail: object, message: string): void
  error(detail: object, message: string): void
}
