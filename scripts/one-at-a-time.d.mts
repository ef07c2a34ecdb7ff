export declare function alone<T>(folder: string, work: () => T | Promise<T>): Promise<T>
