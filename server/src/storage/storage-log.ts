/** The logger that the storage needs. A pino logger is one. */
export interface StorageLog {
  info(detail: object, message: string): void
  warn(detail: object, message: string): void
  error(detail: object, message: string): void
}
