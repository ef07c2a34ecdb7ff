export declare function withSetupLock<T>(folder: string, work: () => T | Promise<T>): Promise<T>
