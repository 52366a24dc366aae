/**
 * Packages that are written into the modules of a bundle, with their licences: of many small modules, which take long to load, or with
 * several builds of themselves, of which one is used.
 */
export const INCLUDED = ['@opentelemetry/api', 'bintrees', 'csv-parse', 'kysely', 'lru-cache', 'prom-client', 'tdigest']

/** The areas of endpoints, which load with their first request, and backups, which no server loads. */
export const GROUPS = /^(?:server\/src\/(?:endpoints\/(?:ads\/)?[^/.]+|development|storage\/backup)|postern\/src\/cli\/backup)(?=\/)/
