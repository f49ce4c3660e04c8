public import Jobs
import GRDB
