export type EngineName = 'firefox' | 'webkit'
export declare const otherEngines: Record<EngineName, { programs: string[]; packages: string[] }>
export declare function hasEngine(name: EngineName): boolean
