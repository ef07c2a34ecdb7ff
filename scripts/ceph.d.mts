export declare const cephPackages: readonly string[]
export declare function missingCephPrograms(): string[]
