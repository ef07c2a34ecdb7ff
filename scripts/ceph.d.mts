export declare const cephPackages: readonly string[]
export declare function missingCephPrograms(): string[]
export declare function isInstalled(program: string): boolean
