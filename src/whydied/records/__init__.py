"""The vocabulary: every fact that a run can record, frozen and versioned.

Runs in every process of ours, the user's included, so it imports msgspec and nothing else.

A record is a past fact (`ProcessBegan`, `StepBegan`); units stand in the names. A record is written as a map of its
fields, so a field may be added with a default at any time and never renamed, retyped or removed: recordings of every
older version stay readable. A kind that a reader does not know is counted and passed over.
"""

from __future__ import annotations

from whydied.records.cells import CellCode, CellEnded, CellStarted, MadeObject, MemoryWarned
from whydied.records.contracts import ContractBroken, DataSeen, Term
from whydied.records.crashes import CrashSeen, FileSystemSeen, ForkSeen, MappedFile, NativeFrame, ProcessorSeen
from whydied.records.data import CacheLocked, CacheStage, DataLooked, HeldKind, TextFileSeen, TextsHeld
from whydied.records.errors import (
    ErrorFacts,
    HeldInput,
    InputWanted,
    LayerFacts,
    LayerNameTaken,
    NamedLayer,
    OperandTrial,
    Party,
    ValueSource,
)
from whydied.records.framework import (
    ApiCalled,
    ApiMissed,
    Argument,
    BadFile,
    CallRefused,
    ClassSeen,
    Demanded,
    FileLooked,
    FormsTried,
    HeldPart,
    ModuleShadowed,
    NamesakeFound,
    OptimizerSeen,
    OutputsTraced,
    PackageMissing,
    PackageSeen,
    PackagesSeen,
    PartRefused,
    PicturesLooked,
    PicturesNamed,
    ResultSeen,
    SavedWeight,
    TakenForm,
    WeightsCompared,
)
from whydied.records.hangs import (
    LockUse,
    ProcessWait,
    ProgressResumed,
    ProgressStopped,
    StacksTaken,
    TaskWait,
    ThreadStack,
)
from whydied.records.inside import (
    CallBegan,
    CallEnded,
    DescriptorsCounted,
    DevicesSeen,
    EpochBegan,
    ExceptionRaised,
    ExitRequested,
    FunctionTraced,
    HandlerSet,
    LineSampled,
    MainFound,
    ModuleImported,
    OpenFiles,
    ProcessBegan,
    ProcessExiting,
    RecorderLimited,
    RecorderReady,
    SessionRan,
    SourceKept,
    StepBegan,
    VersionsSeen,
    WarningIssued,
)
from whydied.records.makers import MakerStep, ResultRefused, ValueMade
from whydied.records.memory import (
    AllocatorFound,
    BatchChosen,
    CensusTaken,
    ConstantMade,
    DatasetMade,
    GraphAddition,
    GraphRecorded,
    Holder,
    InputsSeen,
    LayerOutput,
    LayersPlanned,
    MemoryGuarded,
    ObjectGroup,
    SessionOpened,
    VariablesMade,
    ViewsHeld,
    WeightMade,
)
from whydied.records.models import LayerSeen, ModelSeen
from whydied.records.numerics import (
    Blame,
    Capture,
    CapturedRun,
    Descent,
    FedValue,
    FoundOp,
    Level,
    Lines,
    Link,
    LossesSeen,
    NodeLine,
    NormsSeen,
    Numbers,
    OpInput,
    RanOn,
    Replay,
    StateValue,
    StepCaptured,
    Suspect,
)
from whydied.records.outside import (
    DeviceProcess,
    GpuFailed,
    GpuFound,
    GpuSampled,
    ImportantSample,
    InternalError,
    KernelLogged,
    LimitApplied,
    MachineSampled,
    Neighbour,
    NeighboursSampled,
    OomCounted,
    OutputWritten,
    ProgramEnded,
    ProgramNotStarted,
    ProgramStarted,
    RlimitsSeen,
    RunEnded,
    RunStarted,
    SignalReceived,
    SignalSent,
)
from whydied.records.ranges import OutOfRangeFound
from whydied.records.restarts import FitResumed, FitState
from whydied.records.sessions import (
    Assigning,
    Blank,
    CheckpointSought,
    Fed,
    Fetched,
    GraphNode,
    GraphsMixed,
    GraphTried,
    OwnedTensor,
    Resized,
    SessionFacts,
    Unsaved,
    VariableTaken,
)
from whydied.records.values import Frame, Important, Local, Operand, ProcessSample, RaisedException, Record, Value
from whydied.records.watched import AssertionFailed, AssertionPlaced, LayerCheck, LayerChecks, TensorLogged, Wishes

KINDS: dict[str, type[Record]] = {
    kind.__name__: kind for parent in (Record, Important) for kind in parent.__subclasses__() if kind is not Important
}
