/** What a package exports: for each name the places of its module, or a place for all. */
export type Exports = Record<string, string | Record<string, string | Record<string, string>>>

export declare function exportsAreLong(): boolean
export declare function shortenExports(): void
export declare function shorten(exports: Exports): Exports
